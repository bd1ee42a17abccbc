/**
 * The configuration of a Ceph cluster of one monitor, one store and one gateway.
 */

export interface Ports {
  readonly gateway: number
  /** One for each of the monitor's two protocols. */
  readonly monitor: readonly [v1: number, v2: number]
}

/** Returns the monitor's addresses in the format of the monitor map. */
export const monitors = ({ monitor: [v1, v2] }: Ports): string => `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`

/** Where the store keeps its data: in memory, or in a file that it writes without the page cache (BlueStore). */
export interface Store {
  readonly kind: "memory" | "disk"
  /** The capacity. A file takes as much of the disk as it has data. */
  readonly bytes: number
}

type Section = ReadonlyArray<readonly [name: string, value: string | number | boolean]>

const section = (name: string, settings: Section): string =>
  [`[${name}]`, ...settings.map(([setting, value]) => `${setting} = ${value}`), ""].join("\n")

/** One replica, in one placement group per pool. */
const single: Section = [
  ["osd pool default size", 1],
  ["osd pool default min size", 1],
  ["osd pool default pg num", 1],
  ["osd pool default pgp num", 1],
  ["osd crush chooseleaf type", 0],
  ["mon allow pool size one", true],
  ["mon max pg per osd", 2000],
  ["mon data avail crit", 1],
  ["mon data avail warn", 1]
]

/** A single monitor has no other monitors to wait for. */
const fast: Section = [
  ["paxos propose interval", 0.05],
  ["paxos min wait", 0.01]
]

/** No authentication: only this machine reaches the loopback interface. */
const unauthenticated: Section = [
  ["auth cluster required", "none"],
  ["auth service required", "none"],
  ["auth client required", "none"],
  ["ms mon client mode", "crc"],
  ["ms mon cluster mode", "crc"],
  ["ms mon service mode", "crc"],
  ["ms bind ipv6", false]
]

const storeSettings = ({ bytes, kind }: Store): Section =>
  kind === "memory"
    ? [
        ["osd objectstore", "memstore"],
        ["memstore device bytes", bytes]
      ]
    : [
        ["osd objectstore", "bluestore"],
        ["bluestore block size", bytes]
      ]

/** Returns the text of `ceph.conf` for a cluster in one directory. */
export const text = (directory: string, cluster: string, ports: Ports, store: Store): string =>
  [
    section("global", [
      ["fsid", cluster],
      ["mon host", monitors(ports)],
      ["public network", "127.0.0.0/8"],
      ["cluster network", "127.0.0.0/8"],
      ["public addr", "127.0.0.1"],
      ["cluster addr", "127.0.0.1"],
      ["run dir", directory],
      ["admin socket", `${directory}/$name.asok`],
      ["pid file", `${directory}/$name.pid`],
      ["log file", `${directory}/$name.log`],
      ["crash dir", directory],
      ["mon cluster log to file", false],
      ["setuser match path", ""],
      ...unauthenticated,
      ...single,
      ...fast
    ]),
    section("mon.a", [["mon data", `${directory}/mon`]]),
    section("osd.0", [["osd data", `${directory}/osd`], ...storeSettings(store), ["osd max object name len", 1024]]),
    section("client.rgw", [
      ["rgw data", `${directory}/rgw`],
      ["rgw frontends", `beast endpoint=127.0.0.1:${ports.gateway}`],
      ["rgw thread pool size", 64],
      ["rgw dns name", "localhost"],
      ["rgw enable usage log", false],
      ["rgw enable ops log", false],
      ["rgw gc obj min wait", 1],
      ["rgw num rados handles", 1]
    ])
  ].join("\n")
