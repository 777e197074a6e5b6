import { expect, test } from "vitest";
import { Headers as Ours } from "./headers.ts";

test("headers of the bundle do what the platform's do, as far as Connect asks", () => {
  const did = [Headers, Ours].map((Kind) => {
    const headers = new Kind({ "Content-Type": "text/plain", b: "1" });
    headers.append("B", "2");
    headers.set("C", "3");
    headers.append("d", "4");
    headers.delete("D");
    const seen: string[] = [];
    new Kind([...headers]).forEach((value, name) => void seen.push(`${name}: ${value}`));
    return {
      seen: seen.sort(),
      pairs: [...headers].sort(),
      asked: [headers.get("b"), headers.get("d"), headers.has("CONTENT-TYPE"), headers.has("d")],
    };
  });
  expect(did[1]).toEqual(did[0]);
  expect(did[1]?.asked).toEqual(["1, 2", null, true, false]);
});
