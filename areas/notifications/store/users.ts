import type { Address, Sql } from "@reeve/store";

/** Resources that tell this channel something: those that name it in `notify`, unless another of that name is nearer to them. */
export async function usersOfChannel(
  sql: Sql,
  { kind, scope, name }: Address,
  limit: number,
): Promise<(Address & { readonly pointer: string })[]> {
  const rows = await sql.query<Address & { notify: { channel: string }[] }>(
    `select r.kind, r.scope, r.name, r.spec -> 'notify' as notify from resource r
     where ($2 = '' or r.scope = $2 or r.scope like $2 || '/%') and r.kind = 'Workflow' and r.spec -> 'notify' @> $4::jsonb
     and not exists (select 1 from resource n where n.kind = $1 and n.name = $3 and length(n.scope) > length($2)
       and (r.scope = n.scope or r.scope like n.scope || '/%'))
     order by r.scope, r.name limit $5`,
    [kind, scope, name, JSON.stringify([{ channel: name }]), limit],
  );
  return rows.map(({ notify: rules, ...at }) => ({
    ...at,
    pointer: `/spec/notify/${rules.findIndex(({ channel }) => channel === name)}/channel`,
  }));
}
