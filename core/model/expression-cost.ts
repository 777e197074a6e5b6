import { type ASTNode, serialize } from "@marcbachmann/cel-js";
import { Fault } from "./fault.ts";

/**
 * CEL always ends, but a loop in a loop in a loop may end tomorrow, and text doubled forty times does not fit anywhere. So an
 * expression is printed again with every operand and every turn of a loop inside `charge(…)`, which counts what it is
 * given, in depth, and throws when the budget is spent. The budget is about 20 ms of work.
 */
const budget = 500_000;
let left = budget;

export function refill(): void {
  left = budget;
}

export function overspent(): boolean {
  return left < 0;
}

export function charge(value: unknown): unknown {
  spend(value);
  if (left < 0) throw new Error("it takes too many steps");
  return value;
}

function spend(value: unknown): void {
  left -= 1;
  if (left < 0) return;
  if (typeof value === "string") left -= value.length >> 5;
  else if (Array.isArray(value)) for (const item of value) spend(item);
  else if (value instanceof Map) for (const item of value.values()) spend(item);
  else if (typeof value === "object" && value !== null)
    for (const key in value) spend((value as Record<string, unknown>)[key]);
}

const loops = new Set(["map", "filter", "all", "exists", "exists_one"]);

/** The expression with its price asked for along the way. */
export function metered(node: ASTNode): string {
  switch (node.op) {
    case "value":
    case "id":
      return serialize(node);
    case ".":
      return `${metered(node.args[0])}.${node.args[1]}`;
    case "[]":
      return `${metered(node.args[0])}[${metered(node.args[1])}]`;
    case "list":
      return `[${node.args.map(metered).join(", ")}]`;
    case "map":
      return `{${node.args.map(([key, value]) => `${metered(key)}: ${metered(value)}`).join(", ")}}`;
    case "?:":
      return `(${metered(node.args[0])} ? ${metered(node.args[1])} : ${metered(node.args[2])})`;
    case "&&":
    case "||":
      return `(${metered(node.args[0])} ${node.op} ${metered(node.args[1])})`;
    case "!_":
    case "-_":
      return `(${node.op.charAt(0)}${priced(node.args)})`;
    case "call":
      return node.args[0] === "has"
        ? serialize(node)
        : `${node.args[0]}(${node.args[1].map(priced).join(", ")})`;
    case "rcall":
      return method(...node.args);
    case ".?":
    case "[?]":
      throw new Fault("invalid", "optional access is not available: ask has(…) first");
    default:
      return `(${priced(node.args[0])} ${node.op} ${priced(node.args[1])})`;
  }
}

function method(name: string, on: ASTNode, args: readonly ASTNode[]): string {
  if (loops.has(name)) {
    const [variable, ...bodies] = args as [ASTNode, ...ASTNode[]];
    return `${priced(on)}.${name}(${[metered(variable), ...bodies.map(priced)].join(", ")})`;
  }
  if (on.op === "id" && on.args === "cel") {
    const [variable, value, body] = args as [ASTNode, ASTNode, ASTNode];
    return `cel.bind(${metered(variable)}, ${priced(value)}, ${metered(body)})`;
  }
  return `${priced(on)}.${name}(${args.map(priced).join(", ")})`;
}

function priced(node: ASTNode): string {
  return node.op === "value" ? serialize(node) : `charge(${metered(node)})`;
}
