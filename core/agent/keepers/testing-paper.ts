import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Keeper, Wanted } from "./keeper.ts";

interface Paper {
  /** Undefined when there is none. */
  readonly text: string | undefined;
}

/** The simplest thing that can be kept: a text in a file. One that says `sick` does not do its work. */
export function paperKeeper(desk: string): Keeper<Paper, { write: string | undefined }> {
  const fileOf = ({ uid }: Pick<Wanted, "uid">) => join(desk, uid);
  const textOf = ({ spec, gone }: Wanted) => (gone ? undefined : String(spec.text));
  return {
    kind: "Paper",
    available: async () => true,
    async prepare({ spec }) {
      if (typeof spec.text !== "string") throw new Error("a paper has a text");
      return {};
    },
    observe: async (wanted) => ({ text: await readFile(fileOf(wanted), "utf8").catch(() => undefined) }),
    plan: (wanted, { text }) => (text === textOf(wanted) ? [] : [{ write: textOf(wanted) }]),
    async apply({ write }, wanted) {
      await mkdir(desk, { recursive: true });
      if (write === undefined) await rm(fileOf(wanted), { force: true });
      else await writeFile(fileOf(wanted), write);
    },
    judge(wanted, { text }) {
      if (text !== textOf(wanted)) return { ready: false, why: "it says something else", final: false };
      return text?.includes("sick") ? { ready: false, why: "it is sick", final: true } : { ready: true };
    },
    tell: (_, { text }) => ({ text: text ?? "" }),
    blind: (why) => ({ why }),
    settled: async () => {},
    explain: async () => "",
    watch: () => () => {},
  };
}
