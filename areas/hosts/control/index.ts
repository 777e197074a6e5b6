/** The control plane's side of hosts: who may join, and what their agents make of them. */
import type { ControlArea } from "@reeve/control";
import { hostsMigrations, hostsRetention } from "../store/index.ts";
import { openEnrolment } from "./enrolment.ts";
import { hostController } from "./host.ts";
import { joinTokenController } from "./join-token.ts";

export { type HomeToken, homeToken } from "./home.ts";

export const hostsArea: ControlArea = {
  name: "hosts",
  controllers: [hostController, joinTokenController],
  migrations: hostsMigrations,
  retention: hostsRetention,
  enrolment: openEnrolment,
};
