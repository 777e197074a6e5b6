import type { ASTNode } from "@marcbachmann/cel-js";
import { Fault } from "./fault.ts";

/** What an expression speaks of, so that a definition can be refused before it ever runs. */
export interface Mentions {
  /** Names of variables: inputs, steps, run, item, index, hook. */
  readonly roots: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
}

export function mentionsOf(ast: ASTNode): Mentions {
  const mentions = { roots: new Set<string>(), inputs: new Set<string>(), steps: new Set<string>() };
  visit(ast, new Set());
  return mentions;

  function visit(node: ASTNode, own: ReadonlySet<string>): void {
    if (node.op === "id" && !own.has(node.args)) mentions.roots.add(node.args);
    const member = memberOf(node);
    if (member !== undefined && !own.has(member.of)) {
      if (member.of === "inputs") mentions.inputs.add(member.name);
      if (member.of === "steps") mentions.steps.add(member.name);
    }
    if (node.op === "rcall" && node.args[0] === "matches")
      throw new Fault(
        "invalid",
        "matches() is not available, a pattern can run for ever: use startsWith, endsWith or contains",
      );
    const binds = boundBy(node);
    if (binds === undefined) for (const child of childrenOf(node)) visit(child, own);
    else {
      for (const child of binds.outside) visit(child, own);
      for (const child of binds.inside) visit(child, new Set([...own, binds.name]));
    }
  }
}

/** `inputs.name` and `inputs["name"]`. */
function memberOf(node: ASTNode): { of: string; name: string } | undefined {
  if (node.op === "." && node.args[0].op === "id") return { of: node.args[0].args, name: node.args[1] };
  if (node.op !== "[]" || node.args[0].op !== "id" || node.args[1].op !== "value") return undefined;
  const key = node.args[1].args;
  return typeof key === "string" ? { of: node.args[0].args, name: key } : undefined;
}

/** The variable of a loop, and where it is known. */
function boundBy(node: ASTNode): { name: string; inside: ASTNode[]; outside: ASTNode[] } | undefined {
  if (node.op !== "rcall") return undefined;
  const [name, on, [variable, ...rest]] = node.args;
  if (variable?.op !== "id") return undefined;
  if (name === "bind" && on.op === "id" && on.args === "cel")
    return { name: variable.args, inside: rest.slice(1), outside: rest.slice(0, 1) };
  if (rest.length === 0) return undefined;
  return ["map", "filter", "all", "exists", "exists_one"].includes(name)
    ? { name: variable.args, inside: rest, outside: [on] }
    : undefined;
}

function childrenOf(node: ASTNode): ASTNode[] {
  if (node.op === "rcall") return [node.args[1], ...node.args[2]];
  if (node.op === "call") return node.args[1];
  const parts: unknown[] = Array.isArray(node.args) ? (node.args as unknown[]).flat() : [node.args];
  return parts.filter((part): part is ASTNode => typeof part === "object" && part !== null && "op" in part);
}
