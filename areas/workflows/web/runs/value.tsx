import { CodeView } from "@reeve/kit";
import type { Json } from "@reeve/model";

/** A value as it is, readable. */
export function Value({ value, label }: { readonly value: Json; readonly label: string }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return <CodeView text={text} label={label} maxHeight="20rem" />;
}
