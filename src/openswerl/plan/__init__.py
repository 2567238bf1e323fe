"""What a scale costs before it is started: memory, time, disk, money; and the nearest layout that fits."""
