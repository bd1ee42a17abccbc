/**
 * Prints to the terminal that dependencies are being installed.
 *
 * pnpm's own reporter is silent (see pnpm-workspace.yaml) and also hides the output of this script, so the script writes
 * to the controlling terminal itself. It is plain JavaScript because it runs before the packaged Node.js is installed.
 */
import { writeFileSync } from "node:fs"

try {
  writeFileSync("/dev/tty", "Installing dependencies…\n")
} catch {
  // There is no controlling terminal.
}
