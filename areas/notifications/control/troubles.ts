import type { Tools } from "@reeve/control";
import {
  contains,
  matches,
  newUid,
  parseLabelSelector,
  type Resource,
  sameJson,
  scopePath,
  selfAndAncestors,
  showDuration,
  type TroubleRule,
} from "@reeve/model";
import { type NewNotification, notify, type Sql, type Stored } from "@reeve/store";
import type { TellsRule } from "../kinds/index.ts";
import {
  endNotice,
  markTold,
  type Notice,
  openNotice,
  readListeners,
  readNotices,
  type ToldTo,
} from "../store/index.ts";

/** Something that is not as it should be with a resource now. */
interface Trouble {
  readonly event: string;
  readonly rule: TroubleRule;
  readonly why: string;
}

/**
 * After a look at a resource: opens notices of what is not as it should be, tells them when their time has come, and tells that they
 * are over. Says when it wants to look again. Nothing is told twice, however often and by whomever this is done.
 */
export function tellTroubles({ database, registry }: Pick<Tools, "database" | "registry">) {
  return async (resource: Stored): Promise<number | undefined> => {
    const kind = registry.byName(resource.kind);
    const rules = kind.troubles ?? {};
    const shown = resource as unknown as Resource;
    if (kind.troubles === undefined || kind.isInMaintenance?.(shown)) return undefined;
    const { uid } = resource.metadata;
    const judged = Object.entries(rules).map(([event, rule]) => ({ event, rule, why: rule.why(shown) }));
    const troubles = judged.filter((one): one is Trouble => typeof one.why === "string");
    const well = new Set(judged.filter(({ why }) => why === undefined).map(({ event }) => event));
    const open = await readNotices(database, uid);
    const over = open.filter(({ event }) => well.has(event));
    const untold = troubles.flatMap((trouble) => {
      const notice = open.find(({ event }) => event === trouble.event);
      const isNews = trouble.rule.tellsEachWhy && notice?.why !== trouble.why;
      return notice?.isTold && !isNews
        ? []
        : [{ ...trouble, notice, leftMs: trouble.rule.afterMs - (notice?.forMs ?? 0) }];
    });
    if (over.length === 0 && untold.length === 0) return undefined;
    const about = { resource, plural: kind.plural };
    await database.transact(async (sql) => {
      for (const { notice, leftMs, ...trouble } of untold) {
        const id = notice?.id ?? newUid();
        if (notice === undefined && !(await openNotice(sql, uid, { event: trouble.event, id }))) continue;
        if (leftMs <= 0) await tell(sql, about, trouble, { id, told: notice?.told ?? [] });
      }
      for (const { event, id } of over) {
        const ended = await endNotice(sql, uid, event);
        const rule = rules[event];
        if (ended === undefined || rule === undefined) continue;
        const text = `It took ${showDuration(ended.forMs)}.`;
        await notify(
          sql,
          messages(about, ended.told, { event: "over", of: event, id, says: rule.over, text }),
        );
      }
    });
    const waits = untold.flatMap(({ leftMs }) => (leftMs > 0 ? [leftMs] : []));
    return waits.length === 0 ? undefined : Math.min(...waits);
  };
}

interface About {
  readonly resource: Stored;
  readonly plural: string;
}

/** Whoever hears of it, or of its first reason, hears of its end. */
async function tell(
  sql: Sql,
  about: About,
  { event, rule, why }: Trouble,
  { id, told }: Pick<Notice, "id" | "told">,
): Promise<void> {
  const { uid, scope } = about.resource.metadata;
  const hearing = (await readListeners(sql, selfAndAncestors(scope)))
    .filter(({ tells }) => tells.some((one) => hears(one, about.resource, event)))
    .map((channel) => ({ scope: channel.scope, name: channel.name }));
  const before = told.filter((one) => !hearing.some((other) => sameJson(one, other)));
  if (await markTold(sql, uid, event, { told: [...before, ...hearing], why }))
    await notify(sql, messages(about, hearing, { event, of: event, id, says: rule.says, text: why }));
}

function hears({ on, scopes, labels }: TellsRule, { metadata }: Stored, event: string): boolean {
  if (!(on as readonly string[]).includes(event)) return false;
  if (scopes !== undefined && !scopes.some((scope) => contains(scope, metadata.scope))) return false;
  return labels === undefined || matches(parseLabelSelector(labels), metadata.labels);
}

function messages(
  { resource: { kind, metadata }, plural }: About,
  told: readonly ToldTo[],
  { event, of, id, says, text }: Record<"event" | "of" | "id" | "says" | "text", string>,
): NewNotification[] {
  const { scope, name } = metadata;
  return told.map((channel) => ({
    id: newUid(),
    scope: channel.scope,
    channel: channel.name,
    message: {
      event,
      title: `${scope === "" ? "" : `${scope}: `}${kind.toLowerCase()} ${name} ${says}`,
      text,
      path: `${scopePath(scope)}/${plural}/${name}`,
      about: { kind, scope, name, notice: id, event: of },
    },
  }));
}
