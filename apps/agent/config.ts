import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { ShippingLimits } from "@reeve/agent";
import type { DockerPlace } from "@reeve/services/agent";

export interface JoinCommand {
  readonly does: "join";
  readonly data: string;
  readonly urls: readonly string[];
  readonly token: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly bearer?: { readonly ca?: string };
}

export interface RunCommand {
  readonly does: "run";
  readonly data: string;
  readonly slots: number;
  /** Instead of those it joined by. */
  readonly urls?: readonly string[];
  readonly logLimits: Partial<ShippingLimits>;
  /** Where its engine is, by the variables that `docker` itself reads. */
  readonly docker: DockerPlace;
  /** Ends when its standard input does: whoever started it has gone. */
  readonly leash: boolean;
}

export type Command = JoinCommand | RunCommand | { readonly does: "tell"; readonly what: "help" | "version" };

export const help = `Usage: reeve-agent join URL --token TOKEN [options]   makes this machine a host of Reeve
       reeve-agent run [options]                      does its work, until SIGTERM

URL is the address of the agents' port, for example https://reeve.example.com:8090; several, separated by
commas, when there are several replicas. A token comes from \`reeve agent token\`.

  --token TOKEN     the join token; - reads it from standard input
  --name NAME       the host's name (default: this machine's)
  --label KEY=VALUE a label of the host; may be repeated
  --bearer          a proxy ends TLS on the way: believe its certificate and show a token instead of one
  --ca FILE         with --bearer: the authority of the proxy's certificate (default: the system's)
  --url URL         with run: another address than the one it joined by
  --slots N         how many steps may run at once (default 256)
  --log-megabytes N shipped of one stream of a step (default 1024); then only its last bytes
  --log-waiting N   megabytes of it that wait on disk while the control plane is away (default 256)
  --data DIR        the agent's folder (default $REEVE_AGENT_DATA, or /var/lib/reeve-agent)
  --leash           end when standard input ends

Services are kept with the \`docker compose\` of this machine; DOCKER_HOST and DOCKER_CONFIG count as they do for it.

SIGTERM ends the agent and not the steps it runs: they go on, and the next \`run\` with the same folder takes them
back. Exit status: 0 stopped, 1 could not start, 3 the control plane no longer knows this agent, 4 another process
runs under its identity; after 3 and 4 the steps were stopped, and starting it again is of no use.
`;

/** Throws an Error with a sentence for the person at the terminal. */
export function readCommand(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Command {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      token: { type: "string" },
      name: { type: "string" },
      label: { type: "string", multiple: true },
      bearer: { type: "boolean" },
      ca: { type: "string" },
      url: { type: "string" },
      slots: { type: "string" },
      "log-megabytes": { type: "string" },
      "log-waiting": { type: "string" },
      data: { type: "string" },
      leash: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean" },
    },
  });
  if (values.help) return { does: "tell", what: "help" };
  if (values.version) return { does: "tell", what: "version" };
  const [command, operand, ...rest] = positionals;
  const data = resolve(values.data ?? env.REEVE_AGENT_DATA ?? "/var/lib/reeve-agent");
  if (command === "run" && operand === undefined)
    return {
      does: "run",
      data,
      slots: readSlots(values.slots),
      logLimits: {
        ...readMegabytes("capBytes", "log-megabytes", values["log-megabytes"]),
        ...readMegabytes("waitingBytes", "log-waiting", values["log-waiting"]),
      },
      ...(values.url === undefined ? {} : { urls: values.url.split(",") }),
      docker: { host: env.DOCKER_HOST, config: env.DOCKER_CONFIG },
      leash: values.leash ?? false,
    };
  if (command !== "join" || operand === undefined || rest.length > 0)
    throw new Error("say `reeve-agent join URL --token TOKEN` or `reeve-agent run`; --help tells more");
  if (values.token === undefined) throw new Error("--token is missing: `reeve agent token` makes one");
  if (values.ca !== undefined && !values.bearer)
    throw new Error("--ca goes with --bearer: otherwise the token says whom to believe");
  return {
    does: "join",
    data,
    urls: operand.split(","),
    token: (values.token === "-" ? readFileSync(0, "utf8") : values.token).trim(),
    name: values.name ?? nameOfHost(hostname()),
    labels: Object.fromEntries((values.label ?? []).map(readLabel)),
    ...(values.bearer
      ? { bearer: values.ca === undefined ? {} : { ca: readFileSync(values.ca, "utf8") } }
      : {}),
  };
}

function readSlots(text = "256"): number {
  const slots = Number(text);
  if (Number.isInteger(slots) && slots >= 1 && slots <= 2000) return slots;
  throw new Error("--slots is a number from 1 to 2000");
}

function readMegabytes(limit: keyof ShippingLimits, name: string, text: string | undefined) {
  if (text === undefined) return {};
  const megabytes = Number(text);
  if (Number.isInteger(megabytes) && megabytes >= 1 && megabytes <= 1_000_000)
    return { [limit]: megabytes * 1024 ** 2 };
  throw new Error(`--${name} is a number of megabytes, from 1 to 1000000`);
}

function readLabel(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new Error(`--label ${text}: write it as key=value`);
}

/** A machine's name as a resource's: `Web_1.example.com` is web-1. */
function nameOfHost(machine: string): string {
  const [first = ""] = machine.toLowerCase().split(".");
  return (
    first
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 63) || "host"
  );
}
