import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** What is known of one thing, by name; what is not known is left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(of).filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== "",
  );
  return (
    <dl className={classes.facts}>
      {known.map(([label, value]) => (
        <div key={label} className={classes.fact}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm" m={0} miw={0}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}

/** One of them, where they stand side by side: its name above it. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}
