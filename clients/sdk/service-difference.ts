import type { Change, Scope } from "@reeve/model";
import { itemPath } from "./address.ts";
import type { Wire } from "./wire.ts";

interface ServiceVersion {
  readonly generation: number;
  /** Of the repository that its files are from. */
  readonly revision?: string;
}

/** What a deploy would do, host by host. */
export interface ServiceDifference {
  readonly brings: ServiceVersion;
  readonly hosts: readonly {
    readonly host: string;
    readonly does: "begin" | "change" | "nothing" | "remove";
    readonly runs?: ServiceVersion;
    readonly files: readonly {
      readonly path: string;
      readonly before?: string;
      readonly after?: string;
      /** It differs, and what it holds is not shown. */
      readonly encrypted?: true;
    }[];
    readonly settings: readonly Change[];
    /** What cannot be told. */
    readonly note?: string;
  }[];
}

export function openServiceDifference(wire: Wire) {
  return async (scope: Scope, name: string, signal?: AbortSignal): Promise<ServiceDifference> => {
    const path = `${itemPath({ name: "Service", plural: "services" }, scope, name)}/difference`;
    return (await wire.send({ path, signal })).body as ServiceDifference;
  };
}
