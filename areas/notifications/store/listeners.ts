import type { Scope } from "@reeve/model";
import type { Sql } from "@reeve/store";
import type { TellsRule } from "../kinds/index.ts";

export interface Listener {
  readonly scope: Scope;
  readonly name: string;
  readonly tells: readonly TellsRule[];
}

/** The channels of these scopes that want to hear of more than runs. */
export function readListeners(sql: Sql, scopes: readonly Scope[]): Promise<Listener[]> {
  return sql.query<Listener>(
    `select scope, name, spec -> 'tells' as tells from resource
     where kind = 'Channel' and scope = any($1::text[]) and spec -> 'tells' is not null and deleting_at is null
     order by scope, name`,
    [scopes],
  );
}
