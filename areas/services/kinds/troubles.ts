import type { Condition, TroubleRule } from "@reeve/model";

/** What people may want to be told of services and repositories. What goes by itself in moments is not worth a word. */
const whileMs = 2 * 60_000;
const longMs = 60 * 60_000;

interface Seen {
  readonly status: {
    readonly conditions?: readonly Condition[] | undefined;
    readonly instances?:
      | readonly {
          readonly host: string;
          readonly state: string;
          readonly why?: string | undefined;
          readonly trying?: number | undefined;
          readonly containers: readonly {
            readonly name: string;
            readonly stopped?: { readonly by: string } | undefined;
          }[];
        }[]
      | undefined;
  };
}

export const serviceTroubles = {
  "deploy-failed": {
    says: "could not be deployed",
    over: "is deployed again",
    afterMs: 0,
    why: deployFailed,
    tellsEachWhy: true,
  },
  "source-refused": {
    says: "has files that cannot be deployed",
    over: "has files that can be deployed again",
    afterMs: whileMs,
    why: (service) => refusal(service, "Source"),
  },
  "service-degraded": {
    says: "is not as wanted",
    over: "is as wanted again",
    afterMs: whileMs,
    why: notAsWanted,
  },
  "container-stopped": {
    says: "has had a container stopped by hand for an hour",
    over: "has no container stopped by hand any more",
    afterMs: longMs,
    why: stoppedByHand,
  },
} as const satisfies Readonly<Record<string, TroubleRule<Seen>>>;

export const repositoryTroubles = {
  "repository-failed": {
    says: "cannot be fetched",
    over: "can be fetched again",
    afterMs: whileMs,
    why: (repository) => refusal(repository, "Fetched"),
  },
} as const satisfies Readonly<Record<string, TroubleRule<Seen>>>;

function refusal({ status }: Seen, type: string): string | undefined {
  const found = status.conditions?.find((one) => one.type === type);
  return found?.status === "false" ? found.message : undefined;
}

/** One that was cancelled tells neither way. */
function deployFailed(service: Seen): string | undefined | null {
  const isCancelled = service.status.conditions?.some(({ reason }) => reason === "DeployCancelled");
  return isCancelled ? null : refusal(service, "Deployed");
}

/** Of a host that is not heard, its own notice tells; a generation that is being tried has its run. */
function notAsWanted({ status: { instances = [] } }: Seen): string | undefined | null {
  const bad = instances.filter(
    ({ state, trying, containers }) =>
      ["degraded", "absent", "starting"].includes(state) &&
      trying === undefined &&
      containers.every(({ stopped }) => stopped === undefined),
  );
  const isUnclear = instances.some(({ state, trying }) => state === "unknown" || trying !== undefined);
  return (
    linesOf(bad.map(({ host, state, why }) => `${host}: ${why ?? state}`)) ?? (isUnclear ? null : undefined)
  );
}

function stoppedByHand({ status: { instances = [] } }: Seen): string | undefined {
  const stopped = instances.flatMap(({ host, containers }) =>
    containers.flatMap(({ name, stopped: by }) =>
      by === undefined ? [] : [`${host}: ${name}, by ${by.by}`],
    ),
  );
  return linesOf(stopped);
}

const linesShown = 5;

function linesOf(lines: readonly string[]): string | undefined {
  if (lines.length === 0) return undefined;
  const more = lines.length > linesShown ? [`and ${lines.length - linesShown} more`] : [];
  return [...lines.slice(0, linesShown), ...more].join("\n");
}
