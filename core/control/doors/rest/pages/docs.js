/** Shows this server's own description. A file of its own, because the page's policy allows no inline script. */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

window.SwaggerUIBundle({
  dom_id: "#docs",
  url: "/openapi.json",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The validator is another origin, and an entered token must not outlive this tab.
  validatorUrl: null,
  persistAuthorization: false,
});
