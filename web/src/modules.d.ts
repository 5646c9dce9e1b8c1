declare module "*.wasm?url" {
  const address: string;
  export default address;
}
declare module "*.bin?url" {
  const address: string;
  export default address;
}
declare module "*.json?url" {
  const address: string;
  export default address;
}
declare module "*.css";
interface ImportMeta {
  readonly env: { readonly PROD: boolean };
  glob<T>(pattern: string, options: { query: string; import: string; eager: true }): Record<string, T>;
  readonly url: string;
}
