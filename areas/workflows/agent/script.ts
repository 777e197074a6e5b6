import type { AttemptOrder, ProcessBody } from "@reeve/agent";
import { Fault } from "@reeve/model/fault";
import { fieldWords } from "@reeve/model/field-words";
import { en } from "zod/locales";
import * as z from "zod/mini";

// The whole of zod is 5 MB of the agent's memory. This one is silent unless it is given words.
z.config(en());

const noZero = (text: string) => !text.includes("\0");

/** A `${{ }}` alone keeps its type, so a variable may come as a number or a list. */
const variable = z.pipe(
  z.pipe(
    z.json(),
    z.transform((value) => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value))),
  ),
  z.string().check(z.refine(noZero, "holds a zero character")),
);

const UNITS = { KB: 1e3, MB: 1e6, GB: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 } as const;

const memory = z.pipe(
  z.union([
    z.number().check(z.positive()),
    z.string().check(z.regex(/^\d+(\.\d+)?(KB|MB|GB|Ki|Mi|Gi)$/, "must read like 512MB or 2Gi")),
  ]),
  z.transform((value: string | number) => {
    if (typeof value === "number") return Math.round(value);
    return Math.round(Number.parseFloat(value) * UNITS[value.slice(-2) as keyof typeof UNITS]);
  }),
);

/** What every script may ask for, whatever its language. */
export const scriptFields = {
  script: z.string().check(z.refine((text) => text.trim() !== "", "is empty")),
  env: z._default(
    z.record(z.string().check(z.regex(/^[A-Za-z_]\w*$/, "is no name of a variable")), variable),
    {},
  ),
  cwd: z.optional(z.string().check(z.minLength(1), z.refine(noZero, "holds a zero character"))),
  user: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_][\w.@-]*$/, "is no name of a user"))),
  umask: z.optional(
    z.pipe(
      z.string().check(z.regex(/^0?[0-7]{3}$/, 'must be an octal text, such as "027"')),
      z.transform((text) => Number.parseInt(text, 8)),
    ),
  ),
  nice: z.optional(z.int().check(z.minimum(-20), z.maximum(19))),
  memory: z.optional(memory),
  cpus: z.optional(z.number().check(z.positive())),
};

/** Another attempt would read the same, so the fault is final. */
export function readWith<Shape extends z.ZodMiniType>(schema: Shape, order: AttemptOrder): z.output<Shape> {
  const read = schema.safeParse(order.with, { error: fieldWords });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Fault("invalid", `with.${issue?.path.join(".")}: ${issue?.message}`);
}

interface Asked {
  readonly env: Record<string, string>;
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  readonly umask?: number | undefined;
  readonly nice?: number | undefined;
  readonly memory?: number | undefined;
  readonly cpus?: number | undefined;
}

/** A script in a file of its own: on a command line, every user of the host could read the secrets in it. */
export function scriptBody(
  argv: readonly string[],
  files: Record<string, string>,
  asked: Asked,
): ProcessBody {
  const { env, cwd, user, umask, nice, memory: memoryBytes, cpus } = asked;
  return {
    does: "process",
    argv,
    env,
    files,
    ...(cwd !== undefined && { cwd }),
    ...(user !== undefined && { user }),
    ...(umask !== undefined && { umask }),
    ...(nice !== undefined && { nice }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(cpus !== undefined && { cpus }),
  };
}
