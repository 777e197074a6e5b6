import type { Argument } from "@reeve/sdk/cli";

/** `KIND/NAME`, or in two words `KIND NAME`, for verbs that work on one resource. */
export const targetArgs: readonly Argument[] = [
  { name: "KIND/NAME", completes: "target" },
  { name: "NAME", optional: true, completes: "name", tacit: true },
];
