// The lessons of testdata/lessons, in a separate chunk that is loaded on first use.
const files = import.meta.glob<string>("../../testdata/lessons/*.yaml", {
  query: "?raw",
  import: "default",
  eager: true,
});

export default Object.keys(files)
  .sort()
  .map((name) => files[name]!);
