import { Usage } from "@reeve/sdk/cli";

export function readVersionNumber(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  throw new Usage(`${JSON.stringify(word)} is no version`, "reeve secret versions NAME lists them");
}
