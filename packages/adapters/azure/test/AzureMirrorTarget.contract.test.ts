import { vi } from "@effect/vitest"
import * as MirrorTargetContract from "@holdfast/testing/mirrors/MirrorTargetContract"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Mirror from "./support/Mirror.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ hookTimeout: 120_000 })

/** Azure cuts dots off, makes slashes of backslashes, and lists in XML. */
const isInvalidName = (name: string): boolean => /\.(?:\/|$)|\\|[\ufffe\uffff]/.test(name)

requires(Azurite.missing).describe("AzureMirrorTarget", () =>
  MirrorTargetContract.suite("on Azurite", Mirror.subject, { partBytes: 1024 * 1024, isInvalidName })
)
