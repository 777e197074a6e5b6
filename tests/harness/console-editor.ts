import type { Page } from "playwright-core";

/** Puts this in the place of everything that the editor of a page holds, as somebody who pastes it. */
export async function write(
  page: Page,
  change: (text: string) => string,
  name: string | RegExp = /as YAML$/,
): Promise<void> {
  const editor = page.getByRole("textbox", { name });
  await editor.waitFor();
  const text = (await editor.locator(".cm-line").allTextContents()).join("\n");
  await editor.click();
  await page.keyboard.press("Control+A");
  // Typing would be indented and completed along the way.
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData("text/plain", ${JSON.stringify(change(text))});
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }`);
}
