package kinds_test

import "time"

// proxySocketRows run on loopback, in real time; the site is the proxy.
var proxySocketRows = []row{
	{id: "proxy refused on loopback", play: closedPort, with: throughSite,
		tries: "4×proxy_connect@connect:N", end: "down proxy_connect attempts", waits: "1ms 2ms 2ms", counts: "a4 r3 f1"},
	{id: "tunnel on loopback", server: []turn{status(503), ok}, tls: showing(&papers.good), play: throughGate,
		tries: "status@transfer:W ok", requests: 2, connections: 2, end: "flaky success", waits: "1ms", counts: "a2 r1 fl1"},
	{id: "CONNECT is cut on loopback", server: []turn{fin.on(atAccept), rst.on(atAccept), gate("", fin), gate("", rst)}, with: throughSite,
		tries: "4×proxy_connect@connect:N", end: "down proxy_connect attempts", waits: "1ms 2ms 2ms", counts: "a4 r3 f1"},
	{id: "CONNECT 503 and 407 on loopback", server: []turn{gate("HTTP/1.1 503 X\r\n\r\n", fin), connect407}, with: throughSite,
		tries: "2×proxy_status@connect:N", end: "down proxy_status permanent", waits: "1ms", counts: "a2 r1 f1"},
	{id: "CONNECT is not answered on loopback", server: []turn{gate("", silent)}, with: append(throughSite[:2:2], connect(100*time.Millisecond), attempts(2)),
		tries: "2×limit_connect@connect:N", end: "down limit_connect attempts", waits: "1ms", counts: "a2 r1 f1"},
}
