import { expect, test } from "vitest";
import { deviceName } from "./device-name.ts";

test("a session is named by program and system", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
  expect(deviceName(chrome)).toBe("Chrome on Linux");
  expect(deviceName(`${chrome} Edg/131.0.0.0`)).toBe("Edge on Linux");
  expect(deviceName("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0")).toBe(
    "Firefox on Windows",
  );
  expect(
    deviceName(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1",
    ),
  ).toBe("Safari on iPhone");
  expect(deviceName("reeve/0.1.0 (laptop.example)")).toBe("reeve on laptop.example");
  expect(deviceName("curl/8.5.0")).toBe("curl/8.5.0");
  expect(deviceName("")).toBe("unknown");
});
