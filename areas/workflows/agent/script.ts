import type { AttemptOrder, ProcessBody } from "@reeve/agent";
import { Fault } from "@reeve/model";
import { z } from "zod";

const noZero = (text: string) => !text.includes("\0");

/** A `${{ }}` alone keeps its type, so a variable may come as a number or a list. */
const variable = z
  .json()
  .transform((value) => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)))
  .refine(noZero, "holds a zero character");

const UNITS = { KB: 1e3, MB: 1e6, GB: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 } as const;

const memory = z
  .union([
    z.number().positive(),
    z.string().regex(/^\d+(\.\d+)?(KB|MB|GB|Ki|Mi|Gi)$/, "must read like 512MB or 2Gi"),
  ])
  .transform((value) => {
    if (typeof value === "number") return Math.round(value);
    return Math.round(Number.parseFloat(value) * UNITS[value.slice(-2) as keyof typeof UNITS]);
  });

/** What every script may ask for, whatever its language. */
export const scriptFields = {
  script: z.string().refine((text) => text.trim() !== "", "is empty"),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, "is no name of a variable"), variable).default({}),
  cwd: z.string().min(1).refine(noZero, "holds a zero character").optional(),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][\w.@-]*$/, "is no name of a user")
    .optional(),
  umask: z
    .string()
    .regex(/^0?[0-7]{3}$/, 'must be an octal text, such as "027"')
    .transform((text) => Number.parseInt(text, 8))
    .optional(),
  nice: z.number().int().min(-20).max(19).optional(),
  memory: memory.optional(),
  cpus: z.number().positive().optional(),
};

/** Another attempt would read the same, so the fault is final. */
export function readWith<Shape extends z.ZodType>(schema: Shape, order: AttemptOrder): z.output<Shape> {
  const read = schema.safeParse(order.with);
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
