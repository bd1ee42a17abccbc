/**
 * Texts as HTML.
 */

const entities: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Escapes a text for contents and attributes. */
export const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "")

const inline = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

/** Returns the Markdown that descriptions of the document use, as HTML: paragraphs, lists and code. */
export const fromMarkdown = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((block) =>
      block.startsWith("- ")
        ? `<ul>${block
            .slice(2)
            .split(/\n- /)
            .map((item) => `<li>${inline(item)}</li>`)
            .join("")}</ul>`
        : `<p>${inline(block)}</p>`
    )
    .join("")
