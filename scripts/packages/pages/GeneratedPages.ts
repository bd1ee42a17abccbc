/**
 * The pages of docs/ that `pnpm reference` writes from the code.
 */
import * as ConfigurationPage from "./ConfigurationPage.ts"
import * as ErrorsPage from "./ErrorsPage.ts"
import * as OptionsPage from "./OptionsPage.ts"

interface GeneratedPage {
  readonly path: string
  /** Returns the content of the page. */
  readonly text: () => string
}

export const pages: ReadonlyArray<GeneratedPage> = [ConfigurationPage, ErrorsPage, OptionsPage]
