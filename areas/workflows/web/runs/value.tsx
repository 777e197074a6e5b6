import type { Json } from "@reeve/model";
import classes from "./runs.module.css";

/** A value as it is, readable. */
export function Value({ value, label }: { readonly value: Json; readonly label: string }) {
  return (
    <pre className={classes.json} aria-label={label}>
      {typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}
    </pre>
  );
}
