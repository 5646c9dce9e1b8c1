// A hint for keys that YAML 1.1 reads as booleans. Kubernetes reads manifests as YAML 1.1, so
// an unquoted n: becomes the key "false".
import { listed } from "./cards";
import type { Mark, Row, StepResult } from "./messages";

const unquoted = /^([ -]*)(y|yes|on|n|no|off)[ ]*:(?=\s|$)/gim;

export interface Hint extends Mark {
  hint?: boolean;
}

/**
 * yamlKeys returns a hint for the first such key of a manifest. The text of a block scalar can
 * look like one, so there is no hint unless the object or the message has the key of a boolean.
 */
export function yamlKeys(manifest: string, { message }: StepResult, rows: Row[]): Hint[] {
  const found = [...manifest.matchAll(unquoted)];
  const [first] = found;
  if (!first) return [];
  if (!/["'.](true|false)\b/.test(message) && !rows.some((r) => /^\s*(- )?"(true|false)":/.test(r.text))) return [];
  const keys = [...new Set(found.map(([, , key]) => key!))];
  const text =
    keys.length === 1 ? `the key ${keys[0]!} is a boolean. Put it` : `the keys ${listed(keys)} are booleans. Put them`;
  return [
    {
      line: manifest.slice(0, first.index).split("\n").length,
      column: first[1]!.length + 1,
      hint: true,
      message: `Kubernetes reads manifests as YAML 1.1, in which ${text} in quotes.`,
    },
  ];
}
