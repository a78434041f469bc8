"""Parts of protocols that several models hold, each written once: networks, quorums, logs with epochs,
sessions and watches of ZooKeeper."""
