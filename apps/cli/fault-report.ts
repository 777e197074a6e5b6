import { Fault, type FieldError } from "@reeve/model";
import { CallFault } from "@reeve/sdk";
import { Usage } from "@reeve/sdk/cli";
import { isLocalTrouble } from "./exit-codes.ts";
import { paintErr } from "./output/paint.ts";
import { printable } from "./output/width.ts";

/** Where a wrong field stands in what the person wrote: `team.yaml:12:3`. */
export type Locate = (pointer: string) => string | undefined;

/** What went wrong, in one line; the wrong fields, each at its place; what to do next. */
export function faultLines(error: unknown, about = "", locate: Locate = () => undefined): string[] {
  const message = printable(error instanceof Error ? error.message : String(error));
  const next = nextOf(error);
  return [
    `${paintErr("red", "reeve:")} ${about === "" ? "" : `${about}: `}${message}`,
    ...(error instanceof Fault ? fieldLines(error.errors, locate) : []),
    ...(next === undefined ? [] : [`${paintErr("cyan", "next:")} ${printable(next)}`]),
  ];
}

/** A single field error is the message itself already, unless its place adds something. */
function fieldLines(errors: readonly FieldError[], locate: Locate): string[] {
  const placed = errors.map((error) => ({ ...error, place: locate(error.pointer) }));
  if (placed.length < 2 && placed.every(({ place }) => place === undefined)) return [];
  return placed.map(({ pointer, message, place }) =>
    printable(`${place === undefined ? "" : `${place}: `}${pointer || "/"}: ${message}`).replace(/^/, "  "),
  );
}

function nextOf(error: unknown): string | undefined {
  if (error instanceof Usage) return error.next;
  if (isLocalTrouble(error)) return undefined;
  if (!(error instanceof Fault)) return "this is a mistake in reeve; please report it with what you did";
  if (error.kind === "unauthenticated") return error.next ?? "sign in with: reeve login";
  if (error instanceof CallFault && error.kind === "internal" && error.requestId !== undefined)
    return `${error.next ?? "look into the server's log"} (request ${error.requestId})`;
  return error.next;
}
