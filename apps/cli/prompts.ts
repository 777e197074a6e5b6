import { type Ask, Usage } from "@reeve/sdk/cli";
import { Interrupted } from "./interrupted.ts";
import type { Terminal } from "./terminal.ts";

/** Questions, drawn on stderr so that stdout stays data. */
export function openPrompts(terminal: Terminal): Ask {
  const output = process.stderr;
  const mustAsk = (question: string, instead: string) => {
    if (!terminal.interactive) throw new Usage(`${question}: there is no terminal to ask on`, instead);
  };
  return {
    async text(question, { instead, initial, optional }) {
      mustAsk(question, instead);
      const clack = await import("@clack/prompts");
      const start = initial === undefined ? {} : { initialValue: initial };
      const validate = (value: string | undefined) =>
        optional || value?.trim() ? undefined : "please write something";
      return (answered(await clack.text({ message: question, output, validate, ...start })) ?? "").trim();
    },
    async secret(question, { instead }) {
      mustAsk(question, instead);
      const clack = await import("@clack/prompts");
      const validate = (value: string | undefined) => (value ? undefined : "please write something");
      return answered(await clack.password({ message: question, output, validate }));
    },
    async confirm(question) {
      if (!terminal.interactive) return false;
      const clack = await import("@clack/prompts");
      return answered(await clack.confirm({ message: question, output, initialValue: false }));
    },
  };
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") throw new Interrupted();
  return answer as Exclude<T, symbol>;
}
