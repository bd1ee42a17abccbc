/**
 * Notes that are stored as files: the part of an application that is tested. It does not depend on the adapters.
 */
import type { ActorHandle, Holdfast } from "@holdfast/core"

export interface Notes {
  /** Creates or overwrites a note. */
  readonly write: (title: string, text: string) => Promise<void>
  /** Returns the text of a note. Rejects when there is no note of this title. */
  readonly read: (title: string) => Promise<string>
  readonly titles: () => Promise<ReadonlyArray<string>>
}

export const make = (
  holdfast: Holdfast,
  actor: ActorHandle,
  bucket: { readonly tenantId: string; readonly bucketId: string }
): Notes => {
  const list = async () => (await holdfast.files.list(actor, { ...bucket, path: "/notes/" })).items
  const find = async (title: string) => (await list()).find(({ name }) => name === title)
  return {
    write: async (title, text) => {
      const existing = await find(title)
      if (existing === undefined) {
        await holdfast.files.upload(actor, { ...bucket, name: title, path: "/notes/", content: text })
      } else {
        await holdfast.files.reupload(actor, { ...bucket, fileId: existing.id, content: text })
      }
    },
    read: async (title) => {
      const existing = await find(title)
      if (existing === undefined) throw new Error(`There is no note "${title}".`)
      return (await holdfast.files.read(actor, { ...bucket, fileId: existing.id })).text()
    },
    titles: async () => (await list()).map(({ name }) => name)
  }
}
