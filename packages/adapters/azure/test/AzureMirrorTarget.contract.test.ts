import { vi } from "@effect/vitest"
import * as MirrorTargetContract from "@holdfast/testing/mirrors/MirrorTargetContract"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Target from "./support/Target.ts"

// The suite starts a server. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ hookTimeout: 120_000 })

/** Azure drops trailing dots, replaces backslashes by slashes, and lists in XML. */
const isInvalidName = (name: string): boolean => /\.(?:\/|$)|\\|[\ufffe\uffff]/.test(name)

requires(Azurite.missing).describe("AzureMirrorTarget", () =>
  MirrorTargetContract.suite("on Azurite", Target.subject, { partBytes: 1024 * 1024, isInvalidName })
)
