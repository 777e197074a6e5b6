import type { Permission, Scope } from "@reeve/model";
import type { Address, Sql } from "@reeve/store";

export interface HeldRole {
  readonly scope: Scope;
  readonly role: string;
  readonly binding: string;
  /** The group that holds it: null when the subject does itself. */
  readonly group: { readonly scope: Scope; readonly name: string } | null;
  /** What a custom role allows; null for a built-in one. */
  readonly allows: readonly Permission[] | null;
}

/**
 * Who holds for a subject: itself, the groups it is a member of, those whose claims it bears. A provider that is disabled or gone
 * says nothing any more, nor does one of the same name that was made later.
 */
const holders = `select $1::uuid as uid
  union select group_uid from group_member where subject_uid = $1::uuid
  union select g.group_uid from claim c join group_claim g on g.provider = c.provider and g.value = c.value
    where c.user_uid = $1::uuid and exists (
      select 1 from federated_identity f join resource p on p.uid = f.provider_uid
      where f.user_uid = c.user_uid and p.name = c.provider and p.deleting_at is null
        and coalesce((p.spec ->> 'disabled')::boolean, false) = false)`;

/** The roles of a subject. Bindings belong to who holds them, so this is one look-up by owner. */
export function rolesOf(sql: Sql, subjectUid: string): Promise<HeldRole[]> {
  return sql.query<HeldRole>(
    `select b.scope, b.spec ->> 'role' as role, b.name as binding, r.status -> 'allows' as allows,
       case when g.kind = 'Group' then json_build_object('scope', g.scope, 'name', g.name) end as "group"
     from (${holders}) h
     join resource g on g.uid = h.uid and g.deleting_at is null
     join resource b on b.owner_uid = h.uid and b.kind = 'RoleBinding' and b.deleting_at is null
     left join resource r on r.uid = (b.status -> 'role' ->> 'uid')::uuid
     order by b.scope, b.name`,
    [subjectUid],
  );
}

/** Bindings and invitations that name a custom role. */
export function usersOfRole(sql: Sql, roleUid: string): Promise<Address[]> {
  return sql.query<Address>(
    `select kind, scope, name from resource where kind in ('RoleBinding', 'Invitation')
     and status -> 'role' ->> 'uid' = $1 order by scope, kind, name limit 1000`,
    [roleUid],
  );
}
