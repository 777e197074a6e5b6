import { type Api, apply } from "./api.ts";

/** A join token's text, good for so many agents of the whole installation. */
export async function joinToken(api: Api, name: string, uses: number): Promise<string> {
  await apply(api, [
    { apiVersion: "reeve/v1", kind: "JoinToken", metadata: { scope: "", name }, spec: { uses } },
  ]);
  const { token } = await api.post<{ token: string }>(`/api/v1/jointokens/${name}/actions/issue`, {});
  return token;
}
