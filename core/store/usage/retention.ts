import { meanMs, sampleMs } from "@reeve/model";
import type { RetentionRule } from "../retention.ts";

/** A little more than is promised: the first window of a chart begins before it. */
const keptHours = { [sampleMs]: 25, [meanMs]: 31 * 24 };

export const usageRetention: RetentionRule[] = Object.entries(keptHours).map(([step, hours]) => ({
  name: `what was used, each ${Number(step) / 1000} s`,
  async prune(sql, limit) {
    const gone = await sql.query(
      `delete from usage_window where (agent_uid, step, from_at) in (
         select agent_uid, step, from_at from usage_window where step = $1 and from_at < now() - $2 * interval '1 hour'
         order by from_at limit $3) returning 1 as gone`,
      [Number(step), hours, limit],
    );
    return gone.length;
  },
}));
