import { defineVerb, Usage } from "@reeve/sdk/cli";
import { completionScripts, shells } from "../completion/scripts.ts";
import type { CliDesk } from "../desk.ts";

export const completion = defineVerb<CliDesk>()({
  name: "completion",
  group: "server",
  summary: `Print completion for a shell: ${shells.join(", ")}`,
  args: [{ name: "SHELL", completes: shells }],
  example: "source <(reeve completion bash)",
  async run(desk, { args: [word] }) {
    const shell = shells.find((one) => one === word);
    if (shell === undefined)
      throw new Usage(`there is no completion for ${JSON.stringify(word)}`, `one of ${shells.join(", ")}`);
    desk.out(completionScripts[shell]);
    return 0;
  },
});
