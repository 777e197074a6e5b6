import { showScope } from "@reeve/model";
import type { Whoami } from "@reeve/sdk";
import type { Desk } from "@reeve/sdk/cli";

/** Somebody whose role does not count would look for it in vain: they are told why, and where to help it. */
export function sayWithheld(desk: Pick<Desk, "say">, { withheld }: Whoami, url = ""): void {
  for (const { role, scope } of withheld)
    desk.say(
      `your role ${role} in ${showScope(scope)} does not count without a second factor: add one at ${url}/security`,
    );
}
