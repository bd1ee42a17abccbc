/**
 * The names of a page's assets.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as AssetFiles from "./AssetFiles.ts"

export const script = (): string => AssetFiles.load().script.name

/** The modules that the script imports. */
export const modules = (): ReadonlyArray<string> => AssetFiles.load().modules.map(({ name }) => name)

export const style = (): string => AssetFiles.load().style.name

export const shareScript = (): string => AssetFiles.load().share.name

export const shareStyle = (): string => AssetFiles.load().shareStyle.name

/** The library that plays a format. The script loads it if the browser needs it. */
export const engine = (format: Format): string => AssetFiles.load()[format].name
