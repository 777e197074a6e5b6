import { type Context, Environment, type ParseResult } from "@marcbachmann/cel-js";
import { charge, metered, overspent, refill } from "./expression-cost.ts";
import { type Mentions, mentionsOf } from "./expression-mentions.ts";
import { fromCel, toCel } from "./expression-values.ts";
import { Fault } from "./fault.ts";
import type { Json, JsonObject } from "./resource.ts";

/** What an expression can speak of. */
export interface ExpressionScope {
  readonly inputs: JsonObject;
  readonly steps: Record<string, { state: string; outputs: JsonObject | JsonObject[] }>;
  /** id, scope, name, scheduledAt, cause */
  readonly run: JsonObject;
  /** Of a fan-out. */
  readonly item?: Json;
  readonly index?: number;
  /** Of a webhook that maps its request to inputs: body, headers. */
  readonly hook?: JsonObject;
}

export const expressionLimit = 4096;
const keptLimit = 1000;

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 1000, maxDepth: 40, maxListElements: 500, maxMapEntries: 500 },
})
  .registerVariable("inputs", "map")
  .registerVariable("steps", "map")
  .registerVariable("run", "map")
  .registerVariable("item", "dyn")
  .registerVariable("index", "int")
  .registerVariable("hook", "map")
  .registerFunction("charge(dyn): dyn", charge, { async: false });
// JSON has one type of number; CEL has two and mixes them in comparisons only.
for (const [sign, work] of [
  ["+", (a: number, b: number) => a + b],
  ["-", (a: number, b: number) => a - b],
  ["*", (a: number, b: number) => a * b],
  ["/", (a: number, b: number) => a / b],
] as const) {
  const mixed = (a: unknown, b: unknown) => work(Number(a), Number(b));
  environment.registerOperator(`int ${sign} double: double`, mixed);
  environment.registerOperator(`double ${sign} int: double`, mixed);
}

// What is metered is the same expression with more brackets.
const metering = environment.clone({ limits: { maxAstNodes: 10_000, maxDepth: 5000 } });

interface Known {
  readonly run: ParseResult;
  readonly mentions: Mentions;
}

const known = new Map<string, Known>();

/** Refuses what cannot be read or can never work; says what it speaks of. */
export function checkExpression(text: string): Mentions {
  return understand(text).mentions;
}

/** The value of a CEL expression. Bounded in time and size, whatever the expression and the scope. */
export function evaluate(expression: string, scope: ExpressionScope): Json {
  return evaluator(scope)(expression);
}

/** For several expressions over one scope, which is translated only once. */
export function evaluator(scope: ExpressionScope): (expression: string) => Json {
  let values: unknown;
  return (expression) => {
    const { run } = understand(expression);
    values ??= toCel(scope);
    refill();
    try {
      const value = fromCel(run(values as Context));
      // `||` and `exists` pass over what goes wrong in one of their parts, also over this.
      if (overspent()) throw new Fault("invalid", "it takes too many steps");
      return value;
    } catch (error) {
      throw wrong(expression, overspent() ? "it takes too many steps" : reason(error));
    }
  };
}

function understand(text: string): Known {
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const found = read(text);
  // The oldest goes: what is asked for again and again is soon back.
  if (known.size >= keptLimit) known.delete(known.keys().next().value as string);
  known.set(text, found);
  return found;
}

function read(text: string): Known {
  if (text.length > expressionLimit) throw wrong(text, `it is longer than ${expressionLimit} characters`);
  if (text.trim() === "") throw wrong(text, "it is empty");
  try {
    const plain = environment.parse(dashedSteps(text));
    const mentions = mentionsOf(plain.ast);
    const checked = plain.check();
    if (!checked.valid) throw checked.error;
    return { mentions, run: metering.parse(metered(plain.ast)) };
  } catch (error) {
    throw wrong(text, reason(error));
  }
}

/** `steps.load-data.outputs` would be a subtraction to CEL, which nobody means. Quoted text is left alone. */
function dashedSteps(text: string): string {
  return text.replace(
    /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<![\w.])steps\.((?:\d[a-z0-9]*|[a-z][a-z0-9]*(?=-))(?:-+[a-z0-9]+)*)/g,
    (all, name: string | undefined) => (name === undefined ? all : `steps["${name}"]`),
  );
}

function wrong(expression: string, what: string): Fault {
  const shown = expression.length > 120 ? `${expression.slice(0, 117)}…` : expression;
  return new Fault("invalid", `the expression ${JSON.stringify(shown)}: ${what}`);
}

function reason(error: unknown): string {
  if (error instanceof Fault) return error.message;
  const { summary, code } = error as { summary?: string; code?: string };
  if (summary === undefined)
    return error instanceof RangeError ? "it is nested too deeply" : "it cannot be worked out";
  const words = summary.charAt(0).toLowerCase() + summary.slice(1);
  if (code === "no_such_key") return `there is no ${JSON.stringify(summary.replace("No such key: ", ""))}`;
  if (code === "unknown_variable")
    return `${words}; there are inputs, steps, run, and item and index in a fan-out`;
  return words.replaceAll("dyn<", "").replaceAll(">", "");
}
