import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Executor } from "@reeve/agent";
import * as z from "zod/mini";
import { readWith, scriptBody, scriptFields } from "./script.ts";

const schema = z.strictObject({ ...scriptFields, args: z._default(z.array(z.string()), []) });

/** A script for the host's python3. */
export const python: Executor = {
  name: "python",
  available: () =>
    promisify(execFile)("python3", ["--version"]).then(
      () => true,
      () => false,
    ),
  async prepare(order) {
    const asked = readWith(schema, order);
    // Unbuffered, so that output is seen when it is written.
    const argv = ["python3", "-u", join(order.files, "script.py"), ...asked.args];
    return scriptBody(argv, { "script.py": asked.script }, asked);
  },
};
