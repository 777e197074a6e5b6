import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";

export const apiResources = defineVerb<CliDesk>()({
  name: "api-resources",
  group: "read",
  summary: "List the kinds this server knows",
  example: "reeve api-resources -o wide",
  async run(desk) {
    const kinds = await (await desk.client()).kinds();
    if (await desk.data({ items: kinds })) return 0;
    if (desk.flags.output === "name") {
      desk.out(kinds.map((kind) => `${kind.plural}\n`).join(""));
      return 0;
    }
    const wide = desk.flags.output === "wide";
    desk.table(
      ["Name", "Short", "Kind", "Lives in", ...(wide ? ["Actions"] : []), "Summary"],
      kinds.map((kind) => [
        kind.plural,
        kind.shortNames.join(",") || "-",
        kind.name,
        kind.levels.join(","),
        ...(wide ? [Object.keys(kind.actions ?? {}).join(",") || "-"] : []),
        kind.summary,
      ]),
    );
    return 0;
  },
});
