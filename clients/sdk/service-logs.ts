import type { ContainerLine, Scope } from "@reeve/model";
import { itemPath } from "./address.ts";
import { type FollowOptions, followEvents } from "./follow.ts";
import { isSuccess, parseJson, readText, refusal, type Wire } from "./wire.ts";

export interface ServiceLogQuery {
  readonly host?: string;
  /** Its name, or that of a service of the Compose file. */
  readonly container?: string;
  readonly since?: string;
  /** Only so many of the last lines of each host. */
  readonly tail?: number;
}

export type ServiceLogNews =
  | { readonly event: "line"; readonly line: ContainerLine & { readonly host: string } }
  | { readonly event: "note"; readonly note: { readonly host: string; readonly why: string } };

/** What the containers of services have said. */
export interface ServiceLogsClient {
  /** What is there by now, as text. */
  read(scope: Scope, name: string, query?: ServiceLogQuery): AsyncGenerator<Uint8Array, void>;
  /** What is there and what comes, until the signal. */
  follow(
    scope: Scope,
    name: string,
    query?: ServiceLogQuery,
    options?: FollowOptions,
  ): AsyncGenerator<ServiceLogNews, void>;
}

export function openServiceLogs(wire: Wire): ServiceLogsClient {
  const at = (scope: Scope, name: string) =>
    `${itemPath({ name: "Service", plural: "services" }, scope, name)}/logs`;
  return {
    async *read(scope, name, query) {
      const arrival = await wire.open({ path: at(scope, name), query: { ...query } });
      if (!isSuccess(arrival)) throw refusal(arrival, parseJson(await readText(arrival)));
      yield* arrival.chunks;
    },
    async *follow(scope, name, query, options) {
      const call = { path: at(scope, name), query: { ...query, follow: true } };
      for await (const { event, data } of followEvents(wire, call, options, () => false)) {
        if (event === "line") yield { event, line: data as never };
        else if (event === "note") yield { event, note: data as never };
      }
    },
  };
}
