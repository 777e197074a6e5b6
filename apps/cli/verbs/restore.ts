import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { startServer } from "./server.ts";

export const restore = defineVerb<CliDesk>()({
  name: "restore",
  group: "server",
  summary: "Bring an installation back from a backup, on the machine of its new server",
  options: {
    from: text("WHERE", "The backup: FOLDER/NAME or s3://BUCKET/PATH/NAME"),
    identity: text("FILE", "A file with an age identity of the backup", { completes: "file" }),
    rootKey: text("FILE", "The file with the installation's root key", { completes: "file" }),
  },
  example: "reeve restore --from /backups/2026-11-15-120405 --identity age.key --root-key root.key",
  run(_desk, { options: { from, identity, rootKey } }) {
    if (from === undefined) throw new Usage("say what to restore", "reeve restore --from FOLDER/NAME");
    return startServer([
      "--restore",
      from,
      ...(identity === undefined ? [] : ["--backup-identity", identity]),
      ...(rootKey === undefined ? [] : ["--root-key-file", rootKey]),
    ]);
  },
});
