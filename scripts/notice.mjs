/**
 * Says that dependencies are being installed, to whoever sits at a terminal.
 *
 * pnpm's own reporter is silent (see pnpm-workspace.yaml) and hides the output of this script too, so the line goes to
 * the controlling terminal itself. Plain JavaScript, because it runs before the packaged Node.js is there.
 */
import { writeFileSync } from "node:fs"

try {
  writeFileSync("/dev/tty", "Installing dependencies…\n")
} catch {
  // No terminal: nobody waits.
}
