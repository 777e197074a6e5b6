import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineVerb, flag, text, texts, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";

export const agentJoin = defineVerb<CliDesk>()({
  name: "agent join",
  group: "server",
  summary: "Make this machine a host, from this clone; elsewhere /agent/install.sh does it",
  args: [{ name: "URL" }],
  options: {
    token: text("TOKEN", "The join token; - reads it from stdin"),
    name: text("NAME", "The host's name; this machine's when left out"),
    label: texts("KEY=VALUE", "A label of the host; may be given several times"),
    data: text("DIR", "The agent's folder; /var/lib/reeve-agent when left out"),
    bearer: flag("A proxy ends TLS on the way"),
    ca: text("FILE", "With --bearer: the authority of the proxy's certificate"),
  },
  example: "reeve agent join https://reeve.example.com:8090 --token rjt_…",
  async run(_desk, { args: [url = ""], options }) {
    const { token, label, bearer, name, data, ca } = options;
    if (token === undefined) throw new Usage("--token is missing", "reeve agent token makes one");
    const given = Object.entries({ token, name, data, ca }).flatMap(([key, value]) =>
      value === undefined ? [] : [`--${key}`, value],
    );
    const main = fileURLToPath(new URL("../../agent/main.js", import.meta.url));
    const labels = label.flatMap((one) => ["--label", one]);
    const all = ["join", url, ...given, ...labels, ...(bearer ? ["--bearer"] : [])];
    const child = spawn(process.execPath, [main, ...all], { stdio: "inherit" });
    return new Promise<number>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => resolve(code ?? 1));
    });
  },
});
