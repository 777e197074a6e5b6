import { showDuration } from "@reeve/model";
import { defineVerb, flag, text } from "@reeve/sdk/cli";

export const sessions = defineVerb()({
  name: "auth sessions",
  group: "access",
  summary: "List where you are signed in, or end sessions",
  options: {
    end: text("ID", "End this session"),
    endOthers: flag("End all but this one"),
  },
  example: "reeve auth sessions --end-others",
  async run(desk, { options }) {
    const client = await desk.client();
    if (options.end !== undefined || options.endOthers) {
      const ended = await client.endSessions(options.end === undefined ? "others" : { id: options.end });
      desk.say(`${ended} ${ended === 1 ? "session" : "sessions"} ended`);
      return 0;
    }
    const all = await client.sessions();
    if (await desk.data([...all])) return 0;
    const ago = (time: string) => showDuration(Date.now() - Date.parse(time));
    // The id comes first, where it is never cut short: --end wants all of it.
    desk.table(
      ["ID", "Age", "Idle", "Address", "Device"],
      all.map(({ device, address, createdAt, seenAt, id, current }) => [
        id,
        ago(createdAt),
        ago(seenAt),
        address,
        current ? `this one, ${device}` : device,
      ]),
    );
    return 0;
  },
});
