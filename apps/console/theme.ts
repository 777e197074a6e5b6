import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** One accent; everything else is grey, so that the colours of states are seen. */
const reeve: MantineColorsTuple = [
  "#e6f5f3",
  "#cde9e6",
  "#9fd4ce",
  "#70beb6",
  "#4aa9a1",
  "#2f938b",
  "#1f7f78",
  "#146862",
  "#0c5550",
  "#06423e",
];

const gray: MantineColorsTuple = [
  "#f7f8f9",
  "#f0f2f4",
  "#e5e8eb",
  "#d8dce0",
  "#c2c8ce",
  "#9aa2ab",
  "#5f6872",
  "#47505a",
  "#2d343c",
  "#1a1f25",
];

const dark: MantineColorsTuple = [
  "#d9dde1",
  "#b4bbc2",
  "#959da6",
  "#6b737c",
  "#3a4149",
  "#2a3037",
  "#20252b",
  "#171b20",
  "#111418",
  "#0b0d10",
];

export const theme = createTheme({
  colors: { reeve, gray, dark },
  primaryColor: "reeve",
  primaryShade: { light: 7, dark: 6 },
  black: "#1a1f25",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.25rem", lineHeight: "1.4" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // In a text, more than its colour must tell a link.
    Anchor: { defaultProps: { underline: "always" } },
    Button: { defaultProps: { size: "xs" } },
    TextInput: { defaultProps: { size: "sm" } },
    PasswordInput: { defaultProps: { size: "sm" } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200, multiline: true, maw: 360 } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    // In the colour of the alert it would be too faint to read.
    Alert: { styles: { title: { color: "var(--mantine-color-text)" } } },
    Modal: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { "aria-label": "Close" },
      },
    },
  },
});

/** Small text must be readable on both grounds: 4.5 to 1 or better. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": gray[6],
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-red-text": "#c92a2a",
    "--mantine-color-placeholder": gray[6],
    "--reeve-ground": gray[0],
    "--reeve-line": gray[2],
    "--reeve-hover": gray[1],
    "--reeve-selected": reeve[1],
    "--reeve-added": "#e1f5e8",
    "--reeve-removed": "#fde8e8",
    "--reeve-code-key": reeve[8],
    "--reeve-code-text": gray[9],
    "--reeve-code-value": "#8a4b08",
  },
  dark: {
    "--mantine-color-dimmed": dark[2],
    "--mantine-color-error": "#ff8787",
    "--mantine-color-red-text": "#ff8787",
    "--mantine-color-placeholder": dark[2],
    "--reeve-ground": dark[8],
    "--reeve-line": dark[5],
    "--reeve-hover": dark[6],
    "--reeve-selected": "#1d4a46",
    "--reeve-added": "#14341f",
    "--reeve-removed": "#401d1f",
    "--reeve-code-key": reeve[3],
    "--reeve-code-text": dark[0],
    "--reeve-code-value": "#e3b06b",
  },
});
