/** What a shell runs to ask us; each leaves files to the shell itself. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export const completionScripts: Record<Shell, string> = {
  bash: `# reeve completion bash > /etc/bash_completion.d/reeve, or: source <(reeve completion bash)
_reeve() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t COMPREPLY < <(reeve __complete -- "\${words[@]}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == */ ]] && compopt -o nospace
}
complete -o default -F _reeve reeve
`,
  zsh: `#compdef reeve
# reeve completion zsh > "\${fpath[1]}/_reeve", or: source <(reeve completion zsh)
_reeve() {
  local -a found
  found=("\${(@f)$(reeve __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _reeve reeve
`,
  fish: `# reeve completion fish > ~/.config/fish/completions/reeve.fish
function __reeve_complete
  set -l words (commandline -opc) (commandline -ct)
  reeve __complete -- $words[2..-1] 2>/dev/null
end
complete -c reeve -a '(__reeve_complete)'
`,
};
