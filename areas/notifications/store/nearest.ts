import { selfAndAncestors } from "@reeve/model";
import type { NamedChannel, Sql } from "@reeve/store";

/** The channel that each of these names stands for; undefined where there is none. */
export async function nearestChannels(
  sql: Sql,
  named: readonly NamedChannel[],
): Promise<(string | undefined)[]> {
  if (named.length === 0) return [];
  const places = named.flatMap(({ scope, channel }, of) =>
    selfAndAncestors(scope).map((at) => ({ of, at, channel })),
  );
  const rows = await sql.query<{ of: number; uid: string }>(
    `select distinct on (p.of) p.of, r.uid
     from unnest($1::bigint[], $2::text[], $3::text[]) as p (of, at, channel)
     join resource r on r.kind = 'Channel' and r.scope = p.at and r.name = p.channel
     where r.deleting_at is null order by p.of, length(r.scope) desc`,
    [places.map(({ of }) => of), places.map(({ at }) => at), places.map(({ channel }) => channel)],
  );
  const found = new Map(rows.map(({ of, uid }) => [of, uid]));
  return named.map((_, of) => found.get(of));
}
