// The lessons of testdata/lessons, in a file of their own that is loaded when they are
// first asked for.
const files = import.meta.glob<string>("../../testdata/lessons/*.yaml", { query: "?raw", import: "default", eager: true });

export default Object.keys(files).sort().map((name) => files[name]!);
