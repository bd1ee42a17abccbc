/**
 * The markup of the player's controls. The script shows them, and each button only where the browser has its function. The attributes
 * `part` name what a theme may style: they are documented, and stay the same between releases.
 */

/** Shapes in a square of 24 by 24, drawn with lines of the text's colour unless they are filled. */
const shapes = {
  play: '<path class="filled" d="M7.5 4.8v14.4L19.2 12z"/>',
  pause: '<path class="filled" d="M7 5h3.6v14H7zM13.4 5H17v14h-3.6z"/>',
  replay: '<path d="M6.2 8.6a7 7 0 1 1-1.1 4.9M5.4 4.6l.6 4.4 4.4-.6"/>',
  sound:
    '<path class="filled" d="M4 9.4v5.2h3.3L12 18.8V5.2L7.3 9.4z"/><path d="M15 9.3a4 4 0 0 1 0 5.4M17.6 6.8a7.6 7.6 0 0 1 0 10.4"/>',
  muted: '<path class="filled" d="M4 9.4v5.2h3.3L12 18.8V5.2L7.3 9.4z"/><path d="m15.4 9.6 4.8 4.8m0-4.8-4.8 4.8"/>',
  captions:
    '<rect x="3.5" y="5.5" width="17" height="13" rx="2.5"/><path d="M10.9 10.4a2.2 2.2 0 1 0 0 3.2M17.3 10.4a2.2 2.2 0 1 0 0 3.2"/>',
  settings:
    '<path d="M4 7.5h8M17 7.5h3M4 16.5h3M12 16.5h8"/><circle cx="14.5" cy="7.5" r="2.3"/><circle cx="9.5" cy="16.5" r="2.3"/>',
  pip: '<path d="M11 18.5H5.5a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2h13a2 2 0 0 1 2 2V10"/><rect class="filled" x="13" y="13" width="8" height="6" rx="1"/>',
  expand: '<path d="M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15"/>',
  spinner: '<path d="M12 3a9 9 0 1 1-9 9"/>',
  shrink: '<path d="M9 4.5V9H4.5M19.5 9H15V4.5M15 19.5V15h4.5M4.5 15H9v4.5"/>'
}

type Shape = keyof typeof shapes

const icon = (shape: Shape): string =>
  `<svg class="icon" data-icon="${shape}" viewBox="0 0 24 24" aria-hidden="true">${shapes[shape]}</svg>`

interface Button {
  readonly id: string
  /** Its name in themes. Default: `id`. */
  readonly part?: string
  readonly label: string
  readonly icons: ReadonlyArray<Shape>
  /** The keys that do the same, in the syntax of `aria-keyshortcuts`. */
  readonly keys?: string
  readonly attributes?: string
}

const button = ({ attributes = "", icons, id, keys, label, part = id }: Button): string => {
  const shortcut = keys === undefined ? "" : ` aria-keyshortcuts="${keys}"`
  return `<button class="control" part="button ${part}" id="${id}" type="button" aria-label="${label}"${shortcut}${attributes}>${icons.map(icon).join("")}</button>`
}

/** The lines of the markup. All of it is constant. */
export const markup: ReadonlyArray<string> = [
  `<div class="spinner" part="spinner" id="spinner" aria-hidden="true">${icon("spinner")}</div>`,
  `<div class="start" part="start" id="start" aria-hidden="true" hidden>${icon("play")}</div>`,
  '<div class="controls" part="controls" id="controls" role="group" aria-label="Player" hidden>',
  '<div class="panel" part="settings" id="panel" role="group" aria-label="Settings" hidden>',
  '<label hidden>Audio <select part="select" id="audio"></select></label>',
  '<label hidden>Captions <select part="select" id="captions"></select></label>',
  '<label hidden>Quality <select part="select" id="quality"></select></label>',
  '<label hidden>Speed <select part="select" id="speed"></select></label>',
  "</div>",
  '<div class="bar" part="bar" id="bar">',
  '<div class="timeline" part="timeline" id="timeline" dir="ltr">',
  '<input part="slider seek" id="seek" type="range" min="0" max="0" value="0" step="any" aria-label="Position">',
  '<span class="preview" part="preview" id="preview" aria-hidden="true" hidden>',
  '<span class="thumbnail" part="thumbnail" id="thumbnail" hidden></span><span class="preview-time" part="preview-time" id="preview-time"></span></span>',
  "</div>",
  '<div class="buttons" part="buttons">',
  button({ id: "toggle", part: "play", label: "Play", icons: ["play", "pause", "replay"], keys: "K" }),
  `<span class="volume">${button({ id: "mute", label: "Mute", icons: ["sound", "muted"], keys: "M" })}`,
  '<input part="slider volume" id="volume" type="range" min="0" max="1" value="1" step="0.05" aria-label="Volume" dir="ltr"></span>',
  '<span class="time" part="time" dir="ltr"><span id="elapsed">0:00</span><span class="duration"> / <span id="duration">0:00</span></span></span>',
  '<span class="space"></span>',
  button({
    id: "subtitles",
    part: "captions",
    label: "Captions",
    icons: ["captions"],
    keys: "C",
    attributes: ' aria-pressed="false" hidden'
  }),
  button({
    id: "settings-button",
    label: "Settings",
    icons: ["settings"],
    attributes: ' aria-expanded="false" aria-controls="panel"'
  }),
  button({
    id: "pip",
    part: "picture-in-picture",
    label: "Picture in picture",
    icons: ["pip"],
    keys: "I",
    attributes: " hidden"
  }),
  button({ id: "fullscreen", label: "Full screen", icons: ["expand", "shrink"], keys: "F", attributes: " hidden" }),
  "</div>",
  "</div>",
  "</div>"
]
