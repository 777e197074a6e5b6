import { get } from "node:http";

/** A page as somebody's browser asks for it when an address is typed in: `fetch` says that it is a script, and is told so. */
export function getPage(url: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { accept: "text/html" } }, async (answer) => {
      const parts = await answer.setEncoding("utf8").toArray();
      resolve({ status: answer.statusCode, text: parts.join("") });
    }).on("error", reject);
  });
}
